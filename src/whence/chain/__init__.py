"""How does damage travel to the failure, proved by putting values of a passing run into it?"""
