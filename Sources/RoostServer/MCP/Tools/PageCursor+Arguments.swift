import RoostModel

extension PageCursor {
    init(position: Int, of arguments: ToolArguments, at stamp: Stamp) {
        self.init(position: position, of: arguments.digest, at: stamp)
    }

    /// Returns the position that the argument `cursor` names; 0 without a cursor.
    ///
    /// - Throws: ``ToolFailure`` if the cursor is invalid, belongs to other arguments, or the store has
    ///   changed since the previous page.
    static func position(of arguments: ToolArguments, at stamp: Stamp) throws(ToolFailure) -> Int {
        guard let text = arguments.string("cursor") else { return 0 }
        do throws(Defect) {
            return try PageCursor(text, of: arguments.digest, at: stamp).position
        } catch {
            throw ToolFailure(error.message)
        }
    }
}
