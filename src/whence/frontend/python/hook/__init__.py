"""What runs inside the user's interpreter: put on its path, never imported by whence itself."""
