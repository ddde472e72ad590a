"""Why do two programs treat the same input differently?  (DARWIN; thesis, chapters V and VI.4)"""
