"""What do the operations of a program say about values: computed, justified, and given to a solver?"""
