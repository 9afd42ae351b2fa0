import Synchronization

/// Several images side by side, drawn to one.
///
/// Images are added as they come, from any task; ``draw()`` makes one image of those that are there.
///
/// ```swift
/// let collage = Collage(columns: 4)
/// for try await id in ids.lines {
///   collage.add(try await fetchThumbnail(id))
/// }
/// let picture = await collage.draw()
/// ```
public final class Collage: Sendable {
  /// How the images are laid out.
  public let layout: CollageLayout
  private let images = Mutex<[UIImage]>([])

  /// A collage without images yet.
  public init(layout: CollageLayout) { self.layout = layout }

  /// A collage of so many columns, as many rows as it takes, and square cells.
  ///
  /// - Parameters:
  ///   - columns: how many images stand in a row.
  ///   - cell: the width and height of each, in pixels.
  ///   - spacing: the pixels between two images and around them.
  public convenience init(columns: Int = 4, cell: Int = 160, spacing: Int = 8) {
    self.init(layout: CollageLayout(columns: columns, cellWidth: cell, cellHeight: cell, spacing: spacing))
  }

  /// How many images there are.
  public var count: Int { images.withLock { $0.count } }

  /// Adds an image behind those that are there.
  ///
  /// - Returns: false, and nothing is added, when the collage has no room for another.
  @discardableResult
  public func add(_ image: UIImage) -> Bool {
    images.withLock { images in
      guard images.count < layout.capacity else { return false }
      images.append(image)
      return true
    }
  }

  /// One image of all that were added until now. Images that cannot be decoded leave their cell empty.
  ///
  /// The work is done on threads of the library. Cancelling the task ends it early; the cells that were not drawn by
  /// then stay empty.
  public func draw() async -> UIImage {
    let images = images.withLock { $0 }
    let layout = layout
    let mark = CancellationMark()
    let drawn = try? await withTaskCancellationHandler {
      // The mark ends the drawing, and not the wait for what was drawn.
      try await Task.detached {
        try await WorkPool.shared.run { (_) throws(ImageError) in
          var canvas = CollageCanvas(layout, count: images.count)
          for (index, image) in images.enumerated() where !mark.isSet {
            let cell = layout.cell(at: index)
            guard let scaled = try? image.decoded(to: layout.target, mark: mark).bitmap() else { continue }
            canvas.draw(scaled, in: cell)
          }
          return canvas.bitmap
        }
      }.value
    } onCancel: {
      mark.set()
    }
    return UIImage(bitmap: drawn ?? CollageCanvas(layout, count: images.count).bitmap)
  }
}
