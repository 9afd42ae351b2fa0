import AdoptTwins
