import Synchronization

/// A grid of several images, drawn as one image.
///
/// Tasks can add images at any time and from any thread; ``draw(damage:)`` makes one image from those added so far.
///
/// ```swift
/// let collage = Collage(columns: 4)
/// for try await id in ids.lines {
///   collage.add(try await fetchThumbnail(id))
/// }
/// let picture = await collage.draw()
/// ```
public final class Collage: Sendable {
  /// The layout of the images.
  public let layout: CollageLayout
  private let images = Mutex<[UIImage]>([])

  /// Creates an empty collage.
  public init(layout: CollageLayout) { self.layout = layout }

  /// Creates a collage with a number of columns, as many rows as needed, and square cells.
  ///
  /// - Parameters:
  ///   - columns: The number of images in a row.
  ///   - cell: The width and height of each image, in pixels.
  ///   - spacing: The number of pixels between two images and around them.
  public convenience init(columns: Int = 4, cell: Int = 160, spacing: Int = 8) {
    self.init(layout: CollageLayout(columns: columns, cellWidth: cell, cellHeight: cell, spacing: spacing))
  }

  /// The number of images.
  public var count: Int { images.withLock { $0.count } }

  /// Adds an image after the existing ones.
  ///
  /// - Returns: False if the collage is full; then nothing is added.
  @discardableResult
  public func add(_ image: UIImage) -> Bool {
    images.withLock { images in
      guard images.count < layout.capacity else { return false }
      images.append(image)
      return true
    }
  }

  /// Returns one image that shows all images added so far. Images that cannot be decoded leave their cell empty.
  ///
  /// The library draws on its own threads. If the task is cancelled, drawing ends early, and the remaining cells stay
  /// empty.
  ///
  /// - Parameter policy: Whether what could be decoded of a damaged image is drawn, or its cell stays empty (default: it
  ///   is drawn).
  /// - Returns: The collage. Its ``UIImage/damage`` lists what was wrong, with the number of the image, from 1.
  public func draw(damage policy: DamagePolicy = .tolerate) async -> UIImage {
    let images = images.withLock { $0 }
    let layout = layout
    let flag = CancellationFlag()
    let drawn = try? await withTaskCancellationHandler {
      // Cancelling sets the flag, which ends the drawing; this task still waits for the cells that were drawn.
      try await Task.detached {
        try await WorkPool.shared.run { (_) throws(ImageError) in
          var canvas = CollageCanvas(layout, count: images.count)
          var damage: [ImageDamage] = []
          for (index, image) in images.enumerated() where !flag.isSet {
            let found: [ImageDamage]
            do throws(ImageError) {
              let scaled = try image.decoded(to: layout.target, policy: policy, flag: flag)
              try canvas.draw(try scaled.bitmap(), in: layout.cell(at: index))
              found = scaled.damage
            } catch {
              if error.code == .cancelled { continue }
              found = error.damage.isEmpty ? [ImageDamage(error)] : error.damage
            }
            damage += found.map { ImageDamage($0.kind, "Image \(index + 1): \($0.description)") }
          }
          return UIImage(bitmap: canvas.bitmap, damage: damage)
        }
      }.value
    } onCancel: {
      flag.set()
    }
    return drawn ?? UIImage(bitmap: CollageCanvas(layout, count: images.count).bitmap)
  }
}
