/// The declarations of source code.
struct CodeOutline {
    /// The top-level declarations, in order and disjoint.
    let declarations: [CodeDeclaration]

    private let lines: CodeLines

    /// A declaration below both minimums belongs to the section around it.
    private static let minimumLines = 3
    private static let minimumBytes = 200

    /// Finds the declarations of a text.
    ///
    /// - Complexity: O(length of text · depth of nested declarations) for typical code.
    init(_ text: String, language: CodeLanguage) {
        let source = Array(text.utf8)
        lines = CodeLines(
            source: source, mask: CodeMask(source, language: language).bytes, language: language)
        switch language.layout {
        case .braces(let endsAtNewline):
            declarations = BracedOutline(lines, language: language, endsAtNewline: endsAtNewline)
                .declarations()
        case .indentation: declarations = IndentedOutline(lines, language: language).declarations()
        case .firstColumn: declarations = FirstColumnOutline(lines, language: language).declarations()
        case .selectors: declarations = SelectorOutline.declarations(lines)
        }
    }

    /// Returns the structure: a section for each declaration. Its headings are the names of the enclosing
    /// declarations and of the declaration itself.
    func structure() -> TextStructure {
        var builder = SectionBuilder(source: lines.source)
        add(declarations, in: 0..<lines.source.count, path: [], to: &builder)
        return TextStructure(sections: builder.sections, blocks: builder.blocks)
    }

    private func add(
        _ declarations: [CodeDeclaration], in range: Range<Int>, path: [String],
        to builder: inout SectionBuilder
    ) {
        var cursor = range.lowerBound
        for declaration in declarations where declaration.range.lowerBound >= cursor {
            let bytes = declaration.range
            let lineCount =
                lines.line(of: max(bytes.upperBound - 1, 0)) - lines.line(of: bytes.lowerBound) + 1
            let isShort = lineCount < Self.minimumLines && bytes.count < Self.minimumBytes
            if isShort && declaration.children.isEmpty { continue }
            builder.add(cursor..<bytes.lowerBound, path: path)
            let inner = path + [declaration.name]
            if declaration.children.isEmpty {
                builder.add(bytes, path: inner)
                builder.blocks.append(bytes)
            } else {
                add(declaration.children, in: bytes, path: inner, to: &builder)
            }
            cursor = bytes.upperBound
        }
        builder.add(cursor..<range.upperBound, path: path)
    }

    /// Collects sections. A range without words belongs to the section before it.
    private struct SectionBuilder {
        let source: [UInt8]
        var sections: [TextStructure.Section] = []
        var blocks: [Range<Int>] = []

        init(source: [UInt8]) { self.source = source }

        mutating func add(_ range: Range<Int>, path: [String]) {
            guard !range.isEmpty else { return }
            if let last = sections.indices.last {
                let hasWords = source[range].contains { CodeMask.isNameByte($0) }
                if !hasWords || sections[last].headings == path && blocks.last?.upperBound != range.lowerBound
                {
                    sections[last].range = sections[last].range.lowerBound..<range.upperBound
                    return
                }
            }
            sections.append(TextStructure.Section(headings: path, range: range))
        }
    }
}
