import Foundation

/// An element of MathML, or a text if its name is empty.
///
/// A formula is stored as its TeX source if the page states it. Otherwise its structure is written in one
/// line, such as `(a + b)/2` and `x_1^2`: the text of the elements alone would be `a+b2` and `x12`.
struct MathElement {
    /// The maximum depth of the elements whose structure is written; deeper ones contribute their text.
    static let maximumDepth = 48
    /// The names of the encoding of an annotation with TeX, in lowercase letters.
    private static let sourceEncodings: Set<String> = [
        "application/x-tex", "text/x-tex", "tex", "latex", "application/x-latex", "text/x-latex",
    ]

    /// The name in lowercase letters; empty for a text.
    var name: String
    /// The text; empty for an element.
    var text = ""
    /// The values of the attributes that this module uses.
    var attributes: [String: String] = [:]
    /// The elements and texts in the element.
    var children: [MathElement] = []

    /// The formula: its TeX source between dollar signs, or its structure in one line; `nil` without both.
    func formula(isDisplay: Bool) -> String? {
        let isDisplay = isDisplay || attributes["display"] == "block"
        if let formula = source.flatMap({ TeXFormula.markdown($0, isDisplay: isDisplay) }) { return formula }
        let line = line.trimmingCharacters(in: .whitespaces)
        return line.isEmpty ? nil : line
    }

    /// The TeX source, from an annotation.
    private var source: String? {
        if name == "annotation", Self.sourceEncodings.contains(attributes["encoding"]?.lowercased() ?? "") {
            return allText
        }
        for child in children {
            if let source = child.source { return source }
        }
        return nil
    }

    private var allText: String { children.reduce(into: text) { $0 += $1.allText } }

    // MARK: One line

    /// The elements in the order of their meaning, without white space between tags.
    private var elements: [MathElement] { children.filter { !$0.name.isEmpty } }

    /// The structure in one line.
    private var line: String {
        let parts = elements
        switch name {
        case "mi", "mn", "mtext", "ms": return token
        case "mo": return operatorText
        case "mspace": return " "
        case "annotation", "annotation-xml", "mphantom", "none", "mprescripts": return ""
        case "semantics", "maction": return parts.first?.line ?? ""
        case "mfrac" where parts.count == 2: return fraction(parts[0], parts[1])
        case "msqrt": return "√" + Self.enclosed(parts.isEmpty ? token : Self.joined(parts), always: true)
        case "mroot" where parts.count == 2:
            return "√[\(parts[1].line)]" + Self.enclosed(parts[0].line, always: true)
        case "msub" where parts.count == 2, "munder" where parts.count == 2:
            return base(parts[0]) + Self.script("_", parts[1])
        case "msup" where parts.count == 2, "mover" where parts.count == 2:
            return base(parts[0]) + Self.script("^", parts[1])
        case "msubsup" where parts.count == 3, "munderover" where parts.count == 3:
            return base(parts[0]) + Self.script("_", parts[1]) + Self.script("^", parts[2])
        case "mmultiscripts": return multipleScripts(parts)
        case "mfenced":
            let (open, close) = (attributes["open"] ?? "(", attributes["close"] ?? ")")
            return open + parts.map(\.line).joined(separator: ", ") + close
        case "mtable": return parts.map(\.line).joined(separator: "; ")
        case "mtr", "mlabeledtr": return parts.map(\.line).joined(separator: ", ")
        default: return parts.isEmpty ? token : Self.joined(parts)
        }
    }

    private var token: String {
        var result = CollapsedText()
        result.append(allText)
        return result.text
    }

    /// An operator; with spaces if it stands between two values. Operators that are not shown are omitted.
    private var operatorText: String {
        let text = token
        if text.unicodeScalars.allSatisfy({ (0x2061...0x2064).contains($0.value) }) { return "" }
        if text == "," || text == ";" { return text + " " }
        guard let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1 else { return text }
        // Relations, arrows and signs of sets and logic; a minus sign can also belong to a number.
        switch scalar.value {
        case 0x3C, 0x3D, 0x3E, 0x2190...0x21FF, 0x2208...0x220D, 0x2223...0x222A, 0x2234...0x228B:
            return " \(text) "
        default: return text
        }
    }

    private func fraction(_ numerator: MathElement, _ denominator: MathElement) -> String {
        // A fraction without a line is a binomial coefficient.
        if attributes["linethickness"]?.first == "0" {
            return "binom(\(numerator.line), \(denominator.line))"
        }
        return Self.enclosed(numerator.line) + "/" + Self.enclosed(denominator.line)
    }

    private func base(_ element: MathElement) -> String {
        let text = element.line.trimmingCharacters(in: .whitespaces)
        return element.name == "mo" || element.name == "mfenced" ? text : Self.enclosed(text)
    }

    /// Scripts on both sides of a base: pairs after it, then the element `mprescripts` and pairs before it.
    private func multipleScripts(_ parts: [MathElement]) -> String {
        guard let first = parts.first else { return "" }
        let split = parts.firstIndex { $0.name == "mprescripts" } ?? parts.count
        func scripts(_ items: ArraySlice<MathElement>) -> String {
            items.enumerated().map { Self.script($0.offset % 2 == 0 ? "_" : "^", $0.element) }.joined()
        }
        return scripts(parts[min(split + 1, parts.count)...]) + base(first)
            + scripts(parts[1..<max(1, split)])
    }

    private static func script(_ sign: String, _ element: MathElement) -> String {
        let text = element.line.trimmingCharacters(in: .whitespaces)
        if text.isEmpty || "′″‴'".contains(text) { return text }
        return sign + enclosed(text)
    }

    /// Returns a text in parentheses unless it is one name or number.
    private static func enclosed(_ text: String, always: Bool = false) -> String {
        let text = text.trimmingCharacters(in: .whitespaces)
        let isSimple =
            text.count == 1 || text.allSatisfy(\.isLetter) || text.allSatisfy { $0.isNumber || $0 == "." }
        return isSimple && !always ? text : "(\(text))"
    }

    /// Returns the parts of a row. Names next to each other are separate words, but `2x` is one.
    private static func joined(_ parts: [MathElement]) -> String {
        var result = ""
        for part in parts {
            let text = part.line
            guard let first = text.first, let last = result.last else {
                result += text
                continue
            }
            if last == " ", first == " " {
                result += text.drop { $0 == " " }
                continue
            }
            let isWord = first.isLetter || first.isNumber
            let followsWord = last.isLetter || (last.isNumber && text.count > 1)
            if isWord, followsWord { result += " " }
            result += text
        }
        return result
    }
}
