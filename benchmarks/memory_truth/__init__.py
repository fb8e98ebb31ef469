"""300 cases of change, contradiction, source and time in English, Chinese and Spanish, through the real engine."""
