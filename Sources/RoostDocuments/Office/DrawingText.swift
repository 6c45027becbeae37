/// The texts of charts and diagrams in Office Open XML documents, which are in separate parts.
enum DrawingText {
    /// The maximum number of names in a chart. Charts of many values show only a few of their names.
    private static let maximumNames = 200

    /// Returns the title, the series and the categories of a chart as one line; `nil` if it has none. Its
    /// numbers are not text.
    static func chart(_ part: String, in archive: ZipArchive) throws -> String? {
        guard let xml = try archive.xml(part) else { return nil }
        var title = ""
        var (names, known) = ([String](), Set<String>())
        try xml.descendants { element in
            switch element.name {
            case "t": title += try xml.text()
            case "strCache":
                try xml.descendants { value in
                    guard value.name == "v", names.count < maximumNames else { return }
                    let name = MarkdownText.singleLine(try xml.text())
                    if !name.isEmpty, known.insert(name).inserted { names.append(name) }
                }
            default: break
            }
        }
        let parts = [MarkdownText.singleLine(title), names.joined(separator: ", ")].filter { !$0.isEmpty }
        return parts.isEmpty ? nil : "Chart: " + parts.joined(separator: ": ")
    }

    /// Returns the paragraphs of a diagram (SmartArt).
    static func diagram(_ part: String, in archive: ZipArchive) throws -> [String] {
        guard let xml = try archive.xml(part) else { return [] }
        var paragraphs: [String] = []
        try xml.descendants { element in
            guard element.name == "p" else { return }
            var text = ""
            try xml.descendants { run in if run.name == "t" { text += try xml.text() } }
            let line = MarkdownText.singleLine(text)
            if !line.isEmpty { paragraphs.append(line) }
        }
        return paragraphs
    }
}
