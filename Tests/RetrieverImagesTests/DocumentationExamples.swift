import Foundation
import Retriever
import RetrieverImages

// The code of the documentation, unchanged, so that the compiler checks it. `DocumentationTests` of Retriever compares
// it with the documentation; the tests in this folder run it.

enum FetchError: Error {
  case badID
  case badImage
}

extension UIImage {
  var thumbnail: UIImage? {
    get async {
      let size = CGSize(width: 40, height: 40)
      return await self.byPreparingThumbnail(ofSize: size)
    }
  }
}

@MainActor
final class GalleryView {
  private(set) var shown: [URL: [UIImage]] = [:]
  private(set) var fractions: [Double] = []

  func show(_ image: UIImage, for url: URL?) {
    if let url { shown[url, default: []].append(image) }
  }

  func show(_ fraction: Double, for url: URL?) { fractions.append(fraction) }
}

struct ImageDocumentationExamples {
  func fetchThumbnail(for url: URL) async throws -> UIImage {
    let (data, response) = try await URLSession.shared.data(from: url)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw FetchError.badID }
    let maybeImage = UIImage(data: data)
    guard let thumbnail = await maybeImage?.thumbnail else { throw FetchError.badImage }
    return thumbnail
  }

  func avatar(from data: Data) async throws -> Data {
    let image = try UIImage(validating: data)
    let target = ThumbnailTarget(width: 128, height: 128, mode: .fill(focus: .init(x: 0.5, y: 0.3)))
    return try await image.thumbnail(target).data(as: .jpeg(quality: 0.8))
  }

  func bestEffort(_ data: Data) async throws -> UIImage {
    let image = try UIImage(validating: data, limits: ImageLimits(bytes: 8 << 20, pixels: 24_000_000))
    let thumbnail = try await image.thumbnail(ThumbnailTarget(width: 320, height: 320))
    for damage in thumbnail.damage where damage.kind != .other { print(damage) }
    return thumbnail
  }

  func caption(of photo: URL) async throws -> String {
    let metadata = try await ImageMetadata(contentsOf: photo)
    let camera = metadata.cameraModel ?? "unknown camera"
    guard let day = metadata.captureDate else { return camera }
    return "\(day.year)-\(day.month)-\(day.day), \(camera)"
  }

  func share(_ photo: URL, as copy: URL) async throws -> Bool {
    let stripped = try await StrippedImage(contentsOf: photo)
    try await stripped.write(to: copy)
    return stripped.removed.contains(.location)
  }

  func showPosts(_ urls: [URL], from pipeline: ImagePipeline = .shared, in view: GalleryView) async throws {
    try await withThrowingTaskGroup(of: (URL, UIImage).self) { group in
      for url in urls {
        group.addTask {
          let size = CGSize(width: 320, height: 320)
          return (url, try await pipeline.thumbnail(from: url, fitting: size))
        }
      }
      for try await (url, thumbnail) in group { await view.show(thumbnail, for: url) }
    }
  }

  func follow(
    _ request: ImageRequest, from pipeline: ImagePipeline, placeholder: ThumbHash?, in view: GalleryView
  ) async throws {
    for try await update in pipeline.updates(for: request, placeholder: placeholder) {
      switch update {
      case .placeholder(let image), .preview(let image), .image(let image):
        await view.show(image, for: request.urlRequest.url)
      case .progress(let progress): await view.show(progress.fraction ?? 0, for: request.urlRequest.url)
      }
    }
  }

  func makeServerPipeline(cache: URL) -> ImagePipeline {
    var configuration = ImagePipeline.Configuration.server  // public addresses only
    configuration.limits = ImageLimits(bytes: 20 << 20, pixels: 40_000_000)
    configuration.diskCache = DiskCacheOptions(directory: cache)
    configuration.maximumFetches = 32
    return ImagePipeline(configuration)
  }

  func makeCollage(ids: URL, photo: (String) -> URL) async throws -> UIImage {
    let collage = Collage(columns: 4)
    for try await id in ids.lines {
      collage.add(try await fetchThumbnail(for: photo(id)))
    }
    return await collage.draw()
  }

  func makePicture(ids: URL, fetchThumbnail: (String) async throws -> UIImage) async throws -> UIImage {
    let collage = Collage(columns: 4)
    for try await id in ids.lines {
      collage.add(try await fetchThumbnail(id))
    }
    let picture = await collage.draw()
    return picture
  }

  func thumbnail(of url: URL) async throws -> UIImage {
    let photo = try await ImagePipeline.shared.thumbnail(from: url, fitting: CGSize(width: 320, height: 320))
    return photo
  }

  func play(_ data: Data, show: (UIImage) async -> Void) async throws {
    for try await frame in ImageFrames(data: data) {
      await show(frame.image)
      try await Task.sleep(for: frame.duration)
    }
  }

  func firstFrames(_ count: Int, of url: URL) async throws -> [ImageFrame] {
    let (bytes, _) = try await URLSession.shared.bytes(from: url)
    var frames: [ImageFrame] = []
    for try await frame in ImageFrames(pieces: bytes.chunks) {
      frames.append(frame)
      if frames.count == count { break }
    }
    return frames
  }

  func preview(of data: Data) async throws -> Data {
    let image = try UIImage(validating: data)
    return try await image.animatedThumbnail(ThumbnailTarget(width: 160, height: 160), maximumFrames: 30)
  }

  func slideShow(_ images: [UIImage]) async throws -> Data? {
    let animation = UIImage.animatedImage(with: images, duration: 2 * Double(images.count))
    return try await animation?.data(as: .webp(quality: 0.8))
  }

  func square(_ photo: UIImage, tilted degrees: Double) async throws -> UIImage {
    let side = min(photo.size.width, photo.size.height)
    let middle = try await photo.cropped(to: CGRect(x: 0, y: 0, width: side, height: side))
    return try await middle.rotated(byDegrees: degrees)
  }

  func mark(_ faces: [CGRect], in photo: UIImage, with logo: UIImage) async throws -> UIImage {
    try await photo.drawing { context in
      for face in faces {
        context.stroke(.roundedRectangle(face, cornerRadius: 8), with: .white, lineWidth: 3)
      }
      try context.draw(logo, in: CGRect(x: 10, y: 10, width: 80, height: 40), opacity: 0.7)
    }
  }

  func inverted(_ image: UIImage) async throws -> UIImage {
    try await image.changingPixels(.rgb) { pixels in
      pixels.withUnsafeMutableBytes { bytes in
        for index in bytes.indices { bytes[index] = 255 - bytes[index] }
      }
    }
  }

  func picture(from frame: [UInt8], width: Int, height: Int, bytesPerRow: Int) throws -> UIImage {
    UIImage(
      try PixelBuffer(
        width: width, height: height, layout: .premultipliedRGBA, bytes: frame, bytesPerRow: bytesPerRow))
  }

  func inspect(_ upload: Data) async throws -> SandboxedThumbnail {
    try await ImageSandbox.standard.thumbnail(of: upload, ThumbnailTarget(width: 320, height: 320))
  }
}
