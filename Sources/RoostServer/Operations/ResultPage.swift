import Roost
import RoostModel

/// A page of a tool's result, cut to the token budget of the call.
struct ResultPage {
    /// The arguments of all tools with pages.
    static let arguments = [
        TokenBudget.argument,
        ToolProperty(
            "cursor", .string(maximumBytes: 1_000),
            "The 'nextCursor' of the previous page, for the next page."),
    ]

    let json: JSONValue

    /// Creates the page that begins with the first of the given items.
    ///
    /// If not even the first item fits into the budget, the page consists of this item alone.
    init(
        _ items: [JSONValue], name: String, offset: Int, isLast: Bool, _ arguments: ToolArguments,
        _ stamp: Stamp, with other: [String: JSONValue] = [:]
    ) {
        var members: [String: JSONValue] = [name: [], "notice": EntryJSON.notice]
        members.merge(other) { first, _ in first }
        var budget = TokenBudget(arguments)
        budget.use(.object(members))
        let cursor = JSONValue.string(
            PageCursor(position: offset + items.count, of: arguments, at: stamp).text)
        let isWhole = isLast && budget.fits(items)
        if !isWhole { budget.use(["nextCursor": cursor]) }
        let taken = isWhole ? items : budget.takeFirst(of: items)
        members[name] = .array(taken)
        if taken.count < items.count || !isLast {
            members["nextCursor"] = .string(
                PageCursor(position: offset + taken.count, of: arguments, at: stamp).text)
        }
        json = .object(members)
    }
}
