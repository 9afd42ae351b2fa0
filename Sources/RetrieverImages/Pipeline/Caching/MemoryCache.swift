import Caches
import Foundation
import Synchronization

/// Decoded thumbnails by resource and form. The total size of their pixels is limited.
final class MemoryCache: Sendable {
  struct Key: Sendable, Hashable {
    let resource: ImageResource
    let form: ImageForm

    /// The cost of an entry, including its URL, which may be much longer than a small thumbnail.
    func cost(of image: UIImage) -> Int { image.memoryCost + resource.identity.utf8.count }
  }

  struct Entry: Sendable {
    let image: UIImage
    var freshness: Freshness
    var version: ImageVersion?

    init(_ image: UIImage, _ freshness: Freshness, _ version: ImageVersion? = nil) {
      self.image = image
      self.freshness = freshness
      self.version = version
    }
  }

  private struct State: Sendable {
    var entries: LRUCache<Key, Entry>
    /// The forms in memory of each resource. A larger thumbnail may serve as a source.
    var forms: [ImageResource: Set<ImageForm>] = [:]

    mutating func forget(_ key: Key) {
      forms[key.resource]?.remove(key.form)
      if forms[key.resource]?.isEmpty == true { forms[key.resource] = nil }
    }
  }

  private let state: Mutex<State>

  init(limit: Int) { state = Mutex(State(entries: LRUCache(limit: limit))) }

  static let maximumDefaultLimit = 256 << 20

  /// The default limit: a sixteenth of the machine's memory, at most 256 MiB.
  static var defaultLimit: Int {
    Int(min(ProcessInfo.processInfo.physicalMemory / 16, UInt64(maximumDefaultLimit)))
  }

  var cost: Int { state.withLock { $0.entries.cost } }

  func entry(_ resource: ImageResource, _ form: ImageForm) -> Entry? {
    state.withLock { $0.entries.value(for: Key(resource: resource, form: form)) }
  }

  /// Returns the smallest thumbnail that is `isUsable` and that the requested form can be made from.
  func source(
    for form: ImageForm, of resource: ImageResource, where isUsable: (Freshness) -> Bool
  ) -> ImageForm? {
    state.withLock { state in
      guard let forms = state.forms[resource] else { return nil }
      let usable = forms.filter {
        state.entries.peek(Key(resource: resource, form: $0)).map { isUsable($0.freshness) } ?? false
      }
      return ThumbnailDerivation.best(of: usable, for: form)
    }
  }

  func insert(_ entry: Entry, _ resource: ImageResource, _ form: ImageForm) {
    let key = Key(resource: resource, form: form)
    state.withLock { state in
      let evictedKeys = state.entries.insert(entry, for: key, cost: key.cost(of: entry.image))
      if state.entries.peek(key) != nil { state.forms[resource, default: []].insert(form) }
      for evictedKey in evictedKeys { state.forget(evictedKey) }
    }
  }

  /// Updates the thumbnails of a version after the server has confirmed it, and removes those of other versions.
  ///
  /// - Parameters:
  ///   - version: The version that the server was asked about.
  ///   - confirmed: What its response states.
  func renew(_ resource: ImageResource, _ version: ImageVersion?, by confirmed: CacheEntry) {
    state.withLock { state in
      for form in state.forms[resource] ?? [] {
        let key = Key(resource: resource, form: form)
        guard let entry = state.entries.peek(key) else { continue }
        if entry.version == version {
          let renewed = Entry(entry.image, confirmed.freshness, confirmed.version)
          _ = state.entries.insert(renewed, for: key, cost: key.cost(of: entry.image))
        } else {
          state.entries.remove(key)
          state.forget(key)
        }
      }
    }
  }

  /// Removes the thumbnails of a resource that has changed.
  func remove(_ resource: ImageResource) {
    state.withLock { state in
      for form in state.forms.removeValue(forKey: resource) ?? [] {
        state.entries.remove(Key(resource: resource, form: form))
      }
    }
  }

  func removeAll() {
    state.withLock { state in
      state.entries.removeAll()
      state.forms = [:]
    }
  }
}

extension UIImage {
  /// The cost of the image in memory: the bytes of its pixels, and a small amount for everything else.
  var memoryCost: Int {
    switch source {
    case .decoded(let bitmap): bitmap.pixels.count + 256
    default: 256
    }
  }
}
