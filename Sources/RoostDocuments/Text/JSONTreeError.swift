/// The reason why a text is not JSON.
struct JSONTreeError: Error, CustomStringConvertible {
    let description: String
}
