"""What runs inside the user's interpreter.  The folder is put on its path; whence never imports it."""
