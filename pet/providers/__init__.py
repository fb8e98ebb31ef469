"""Model providers: one ``Request`` in, a stream of text chunks and one ``RoundDone`` out."""
