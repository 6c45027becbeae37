/// The position of a message: the source id of its scope, and its number in the scope.
struct MessagePosition: Hashable {
    var source: String
    var number: Int

    init(_ message: RememberedMessage) { (source, number) = (message.scope.source, message.number) }

    func advanced(by distance: Int) -> MessagePosition {
        var position = self
        position.number += distance
        return position
    }
}
