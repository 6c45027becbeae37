import HTTPTypes
import RoostModel

extension PageCursor {
    /// The parameters of all lists with pages.
    static func parameters(maximum: Int, default standard: Int) -> [Parameter] {
        [
            .query(
                "limit",
                Schema.integer(
                    "The maximum number of items on a page; \(standard) by default.", 1...maximum)),
            .query(
                "cursor",
                Schema.string("The 'nextCursor' of the previous page.", minimum: 1, maximum: maximumLength)),
        ]
    }

    /// The member of pages that has the cursor of the next page.
    static let property = Schema.string("The cursor of the next page; absent on the last page.")

    /// Returns the position that the cursor of a request names; `nil` for the first page.
    ///
    /// - Throws: ``Problem`` if the cursor is invalid, belongs to another request, or the store has changed
    ///   since the previous page.
    static func position(of call: Call, at stamp: Stamp) throws(Problem) -> Int? {
        guard let text = call.string("cursor") else { return nil }
        do throws(Defect) {
            return try PageCursor(text, of: digest(of: call), at: stamp).position
        } catch {
            switch error {
            case .isOutdated: throw Problem(.gone, "cursorExpired", error.message)
            case .isInvalid, .hasOtherParameters: throw .invalid(error.message)
            }
        }
    }

    static func text(_ position: Int, of call: Call, at stamp: Stamp) -> JSONValue {
        .string(PageCursor(position: position, of: digest(of: call), at: stamp).text)
    }

    /// The number of items on a page can change from page to page.
    private static func digest(of call: Call) -> UInt64 {
        var values = call.values
        values["limit"] = nil
        return digest(of: call.operation, values)
    }
}
