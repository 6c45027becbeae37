import Foundation

/// A volume of water.
public struct Volume: Comparable, Sendable {
    public var litres: Double

    public static func < (left: Self, right: Self) -> Bool {
        left.litres < right.litres
    }

    public static prefix func - (value: Self) -> Self {
        Volume(litres: -value.litres)
    }
}

public enum Event: Hashable {
    case rain(hours: Int)
    case overflow

    var text: String {
        switch self {
        case .rain(let hours): "rain \(hours) {"
        case .overflow: #"an "overflow" }"#
        }
    }
}

@MainActor
public protocol Container<Item>: AnyObject {
    associatedtype Item
    var size: Int { get }
    func append(_ item: Item) async throws
}

infix operator +++: AdditionPrecedence

open class Barrel<T>: Container where T: Equatable {
    public typealias Item = T
    private var items: [T] = []

    public var size: Int {
        get { items.count }
        set { items.removeLast(items.count - newValue) }
    }

    lazy var formatter: NumberFormatter = {
        let formatter = NumberFormatter()
        return formatter
    }()

    public required init?(
        _ items: [T],
        limit: Int = 10
    ) {
        guard items.count <= limit else { return nil }
        self.items = items
    }

    deinit {
        items.removeAll()
        print("gone")
    }

    public subscript(index: Int) -> T {
        get { items[index] }
        set { items[index] = newValue }
    }

    public func append(_ item: T) async throws {
        items.append(item)
    }

    @discardableResult
    func filter(
        _ predicate: (T) throws -> Bool
    ) rethrows -> [T]
    where T: Hashable {
        try items.filter(predicate)
    }

    final class Gauge {
        func read() -> Int {
            0
        }
    }
}

extension Array where Element == Volume {
    var total: Volume {
        reduce(Volume(litres: 0)) { Volume(litres: $0.litres + $1.litres) }
    }
}

actor Store {
    private var events: [Event] = []

    nonisolated func describe() -> String {
        """
        a store {
        """
    }
}

#if os(Linux)
    func platform() -> String {
        let name = "Linux"
        return name
    }
#else
    func platform() -> String {
        let name = "other"
        return name
    }
#endif

func +++ (left: Volume, right: Volume) -> Volume {
    let sum = left.litres + right.litres
    return Volume(litres: sum)
}

let handlers: [String: (Event) -> Void] = [
    "rain": { event in
        print(event)
    },
]
