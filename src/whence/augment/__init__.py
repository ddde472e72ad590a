"""Which tests show what a change changed?  (thesis, chapter IV and section 6.4.3)"""
