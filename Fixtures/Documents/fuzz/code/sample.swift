import Foundation

/// A barrel with "func fake() {" in its comment.
public struct Barrel<Content>: Sendable where Content: Sendable {
    /* { /* nested { */ */
    var litres = 0

    var description: String {
        "\(litres) { \(litres > 1 ? "x}" : "y")"
    }

    init(litres: Int) {
        self.litres = litres
    }

    static func == (left: Self, right: Self) -> Bool {
        left.litres == right.litres
    }

    func fill(
        _ amount: Int
    ) async throws -> Int
    where Content: Equatable {
        let text = #"}" { "#
        return amount + text.count
    }
}

extension Barrel {
    enum Color: String {
        case green
        case blue
    }
}
