"""Models behind one narrow protocol: a request goes in, a stream of text and one finished round come out."""
