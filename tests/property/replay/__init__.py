"""What is sent of earlier turns, over random histories."""
