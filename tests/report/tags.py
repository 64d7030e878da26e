"""The tags of a page."""

from html.parser import HTMLParser


class Tags(HTMLParser):
    """All tags, attributes and texts of a page."""

    VOID = {"meta", "input", "img", "br", "hr", "link"}  # noqa: RUF012

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
