"""What must hold of the inputs of a run for it to go this way, and which inputs go another way?"""
