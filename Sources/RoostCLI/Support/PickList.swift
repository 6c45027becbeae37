import Foundation

/// The state of `roost pick`: the typed words, the entries that contain them, and the selected one.
struct PickList {
    /// The number of rows by which the keys for pages move the selection.
    static let pageSize = 10
    /// The maximum number of characters that can be typed.
    private static let maximumQueryLength = 200

    let items: [PickItem]
    /// The texts of the items, folded.
    private let texts: [[CChar]]
    private var folding = PickFolding()
    /// The typed text. Its words are separated by spaces, and all of them must occur in an entry.
    private(set) var query = ""
    /// The indexes of the items that contain the words.
    private(set) var matches: [Int]
    /// The selected index in ``matches``; 0 if there are none.
    private(set) var selection = 0

    init(_ items: [PickItem]) {
        self.items = items
        var folding = PickFolding()
        texts = items.map { folding.folded($0.searched) }
        self.folding = folding
        matches = Array(items.indices)
    }

    /// The selected item; `nil` if no item contains the words.
    var selected: PickItem? { matches.isEmpty ? nil : items[matches[selection]] }

    /// Changes the text or the selection. Keys that end the list have no effect.
    mutating func apply(_ key: PickKey) {
        switch key {
        case .character(let character):
            guard query.count < Self.maximumQueryLength else { return }
            let isNarrower = query.isEmpty || query.last != " "
            query.append(character)
            search(among: isNarrower ? matches : Array(items.indices))
        case .backspace:
            guard !query.isEmpty else { return }
            query.removeLast()
            search(among: Array(items.indices))
        case .clear:
            query = ""
            search(among: Array(items.indices))
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .pageUp: move(by: -Self.pageSize)
        case .pageDown: move(by: Self.pageSize)
        case .first: selection = 0
        case .last: selection = max(0, matches.count - 1)
        case .accept, .cancel: break
        }
    }

    private mutating func move(by count: Int) {
        selection = max(0, min(matches.count - 1, selection + count))
    }

    private mutating func search(among candidates: [Int]) {
        let words = query.split(separator: " ").map { folding.folded(String($0)) }
        matches = candidates.filter { index in words.allSatisfy { strstr(texts[index], $0) != nil } }
        selection = 0
    }
}
