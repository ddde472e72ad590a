"""Which faults can be dodged: programs in which the wrong change makes the test pass?"""
