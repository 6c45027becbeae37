/// A programming language: the names of its files, its comments and strings, and the form of its
/// declarations.
struct CodeLanguage: Sendable {
    /// The way in which the end of a declaration is found.
    enum Layout: Sendable {
        /// Declarations have a body in braces. `endsAtNewline` states whether a statement without a body
        /// ends at the end of its line.
        case braces(endsAtNewline: Bool)
        /// The lines of a declaration are indented, whether or not it also ends with a keyword or a brace.
        case indentation
        /// Declarations begin in the first column.
        case firstColumn
        /// Declarations are rules: a selector before braces.
        case selectors
    }

    /// The forms of string literals, in addition to double quotation marks with backslash escapes.
    struct Strings: OptionSet, Sendable {
        let rawValue: Int
        /// `'…'` on one or several lines.
        static let single = Strings(rawValue: 1)
        /// `'c'`: one character. A quotation mark before other text is part of a name.
        static let character = Strings(rawValue: 2)
        /// `"""…"""`.
        static let triple = Strings(rawValue: 4)
        /// `'''…'''`.
        static let tripleSingle = Strings(rawValue: 8)
        /// `` `…` ``.
        static let backtick = Strings(rawValue: 16)
        /// `#"…"#`, with any number of `#`.
        static let hashes = Strings(rawValue: 32)
        /// Expressions in strings, such as `\(…)` or `${…}`.
        static let expressions = Strings(rawValue: 64)
        /// `/…/` where an expression may begin; in Swift also `#/…/#`.
        static let regex = Strings(rawValue: 128)
        /// `R"name(…)name"`.
        static let raw = Strings(rawValue: 256)
        /// `[[…]]`.
        static let brackets = Strings(rawValue: 512)
        /// `<<NAME` up to a line with the name.
        static let documents = Strings(rawValue: 1024)
        /// `\\…` up to the end of the line.
        static let lines = Strings(rawValue: 2048)
    }

    /// The name, as in ``TextFormat/code(_:)``.
    var name: String
    /// The name for people.
    var title: String
    /// The extensions of files.
    var extensions: Set<String>
    /// The names of files without an extension.
    var fileNames: Set<String> = []
    var layout: Layout
    /// The markers that begin a comment up to the end of the line.
    var lineComments: [String]
    /// The pairs of markers that begin and end other comments.
    var blockComments: [[String]] = []
    var hasNestedComments = false
    /// Whether lines that begin with `#` are directives of a preprocessor.
    var hasDirectives = false
    var strings: Strings = []
    /// The keywords before the names of declarations that contain declarations.
    var containers: Set<String> = []
    /// The keywords before the names of other declarations.
    var functions: Set<String> = []
    /// Whether a name before parentheses and a body declares a function, without a keyword.
    var hasPlainFunctions = false
    /// The pairs of markers that begin and end the elements with code; empty if the whole file is code.
    var codeElements: [[String]] = []

    /// The type of files in the language.
    var type: DocumentType {
        DocumentType(
            name: name, title: title, extensions: extensions, fileNames: fileNames, format: .code(name))
    }
}
