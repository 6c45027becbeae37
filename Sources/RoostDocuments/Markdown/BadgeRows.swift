/// Hides rows of badges at the top of a text: images that show the versions and states of a project.
struct BadgeRows {
    /// The minimum number of images of a row.
    private static let minimumCount = 2
    /// Whether only titles, images and HTML have been seen.
    private var isTop = true

    /// Ends the top of the text if a heading follows the title.
    mutating func endTop(ifAfterTitle isAfterTitle: Bool) {
        if isAfterTitle { isTop = false }
    }

    /// Hides a paragraph at the top that consists only of images on the web.
    mutating func check(_ region: Range<Int>, _ scanner: inout InlineScanner, firstLink: Int) {
        guard isTop, !scanner.bytes.trimmed(region).isEmpty else { return }
        var images: [Range<Int>] = []
        var areRemote = true
        for link in scanner.links[firstLink...] where link.isImage {
            // The link around an image comes after the image in the list, and replaces it.
            while let last = images.last, link.range.lowerBound <= last.lowerBound { images.removeLast() }
            images.append(link.range)
            areRemote = areRemote && link.isRemote
        }
        var start = region.lowerBound
        var isOnlyImages = !images.isEmpty
        for image in images {
            isOnlyImages = isOnlyImages && scanner.bytes.trimmed(start..<max(start, image.lowerBound)).isEmpty
            start = image.upperBound
        }
        guard isOnlyImages, scanner.bytes.trimmed(start..<max(start, region.upperBound)).isEmpty else {
            isTop = false
            return
        }
        guard areRemote, images.count >= Self.minimumCount else { return }
        for image in images { scanner.hide(image, .badge) }
    }
}
