import RoostModel

extension ToolArguments {
    /// Returns the tags that an argument adds to entries.
    ///
    /// - Throws: ``ToolFailure`` if a tag is empty or contains a line break or another control character.
    func newTags(_ name: String) throws(ToolFailure) -> [String] {
        let tags = strings(name)
        guard tags.allSatisfy(TagName.isValid) else {
            throw ToolFailure(
                "'\(name)' contains a tag that is empty, or has a line break or another control character")
        }
        return TagName.distinct(tags)
    }
}
