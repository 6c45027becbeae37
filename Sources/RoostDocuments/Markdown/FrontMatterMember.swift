/// A key of front matter with its value.
struct FrontMatterMember {
    /// The key.
    var key: String
    /// The value.
    var value: FrontMatterValue
}
