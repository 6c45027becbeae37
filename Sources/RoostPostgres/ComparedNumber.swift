import RoostModel

/// A number in the form in which filters compare it. Integers are compared exactly if both numbers are
/// integers.
struct ComparedNumber {
    let double: Double
    let integer: Int64?

    /// Creates the number that a text denotes; `nil` if it does not have the form of a JSON number.
    init?(_ text: String) {
        guard EntryCondition.Test.isNumber(text), let double = Double(text) else { return nil }
        self.double = double
        integer = Int64(text)
    }
}
