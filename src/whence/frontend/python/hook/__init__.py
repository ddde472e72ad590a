"""The code that runs inside the user's interpreter.  whence puts it on the path of that
interpreter and never imports it itself."""
