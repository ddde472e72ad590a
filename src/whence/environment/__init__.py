"""Which answer of the operating system makes a program fail here that passes elsewhere?"""
