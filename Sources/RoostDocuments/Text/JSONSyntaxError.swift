/// The reason why a text is not JSON.
struct JSONSyntaxError: Error, CustomStringConvertible {
    let description: String
}
