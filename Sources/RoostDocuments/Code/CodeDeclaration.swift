/// A declaration in source code, such as a type or a function.
struct CodeDeclaration: Hashable, Sendable {
    /// The name, such as `read`.
    var name: String
    /// The range in UTF-8 bytes, including the comments and attributes directly before the declaration.
    var range: Range<Int>
    /// The declarations within the declaration, in order.
    var children: [CodeDeclaration] = []
}
