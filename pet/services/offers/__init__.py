"""Lines of the pet's bubble: one entry for each kind of line, and one scheduler that shows them.

An ``Offer`` (offer.py) states all that is decided about a kind; ``KINDS`` lists them, and ``SpeechBubble`` (both
bubble.py) alone decides whether and when a line comes, and carries its answers out. Texts are worded when they are
drawn, and stored nowhere.
"""
