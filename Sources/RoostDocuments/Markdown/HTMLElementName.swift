/// The names of the elements of HTML.
enum HTMLElementName {
    /// The names of all elements, in lowercase letters.
    static let all: Set<String> = [
        "html", "head", "body", "title", "base", "link", "meta", "style", "script", "noscript", "template",
        "address", "article", "aside", "footer", "header", "h1", "h2", "h3", "h4", "h5", "h6", "hgroup",
        "main", "nav", "section", "search", "blockquote", "dd", "div", "dl", "dt", "figcaption", "figure",
        "hr", "li",
        "menu", "ol", "p", "pre", "ul", "area", "audio", "img", "map", "track", "video", "embed", "iframe",
        "object", "param", "picture", "portal", "source", "svg", "path", "g", "canvas", "caption", "col",
        "colgroup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "button", "datalist", "fieldset",
        "form", "input", "label", "legend", "meter", "optgroup", "option", "output", "progress", "select",
        "textarea",
        "details", "dialog", "summary", "slot", "center", "big", "tt", "br",
        "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
        "mark", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup",
        "time",
        "u", "var", "wbr",
    ]
}
