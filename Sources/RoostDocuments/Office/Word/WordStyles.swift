/// The styles and lists of a Word document, as far as they determine headings and list items.
struct WordStyles {
    private var names: [String: String] = [:]
    private var levels: [String: Int] = [:]
    private var parents: [String: String] = [:]
    private var lists: [String: ListReference] = [:]
    /// The number formats by abstract list and level.
    private var formats: [String: [Int: String]] = [:]
    private var abstractLists: [String: String] = [:]

    /// A reference to a level of a list.
    struct ListReference: Hashable {
        var list: String
        var level: Int
    }

    /// Reads the parts `styles` and `numbering`, each of which may be missing.
    init(styles: XMLPull?, numbering: XMLPull?) throws {
        if let styles { try readStyles(styles) }
        if let numbering { try readNumbering(numbering) }
    }

    private mutating func readStyles(_ xml: XMLPull) throws {
        var style = ""
        try xml.descendants { element in
            let value = element["val"] ?? ""
            switch element.name {
            case "style": style = element["w:styleId"] ?? element["styleId"] ?? ""
            case "name": names[style] = value.lowercased()
            case "basedOn": parents[style] = value
            case "outlineLvl": levels[style] = Int(value)
            case "numId": lists[style, default: ListReference(list: "", level: 0)].list = value
            case "ilvl": lists[style, default: ListReference(list: "", level: 0)].level = Int(value) ?? 0
            default: break
            }
        }
    }

    private mutating func readNumbering(_ xml: XMLPull) throws {
        var (abstract, list, level) = ("", "", 0)
        try xml.descendants { element in
            switch element.name {
            case "abstractNum": abstract = element["abstractNumId"] ?? ""
            case "lvl": level = element["ilvl"].flatMap { Int($0) } ?? 0
            case "numFmt": formats[abstract, default: [:]][level] = element["val"] ?? ""
            case "num":
                list = element["numId"] ?? ""
                abstract = ""
            case "abstractNumId": abstractLists[list] = element["val"] ?? ""
            default: break
            }
        }
    }

    /// Returns the level of the heading that a style defines, from 1; `nil` if it defines none.
    func headingLevel(ofStyle style: String) -> Int? {
        for style in ancestry(of: style) {
            if let level = levels[style] { return level < 6 ? level + 1 : nil }
            let name = names[style] ?? style.lowercased()
            if name == "title" { return 1 }
            if name.hasPrefix("heading"), let level = Int(name.dropFirst(7).drop { $0 == " " }) {
                return level
            }
        }
        return nil
    }

    /// Returns the list that a style defines and the level in it; `nil` if it defines none.
    func list(ofStyle style: String) -> ListReference? {
        let references = ancestry(of: style).compactMap { lists[$0] }
        // A style can state only a level, such as the subtitle of Word's templates. It has the list of the
        // style on which it is based, if any.
        guard let level = references.first?.level,
            let list = references.first(where: { !$0.list.isEmpty })?.list
        else { return nil }
        return ListReference(list: list, level: level)
    }

    /// Returns whether the items of a list have numbers; `nil` if they have neither numbers nor bullets.
    func isNumbered(_ reference: ListReference) -> Bool? {
        guard reference.list != "0" else { return nil }
        guard let abstract = abstractLists[reference.list],
            let format = formats[abstract]?[reference.level]
        else { return false }
        return format == "none" ? nil : format != "bullet"
    }

    /// Returns a style and the styles on which it is based.
    private func ancestry(of style: String) -> [String] {
        var styles = [style]
        // A damaged document may contain a cycle.
        while let parent = parents[styles[styles.count - 1]], styles.count < 20 { styles.append(parent) }
        return styles
    }
}
