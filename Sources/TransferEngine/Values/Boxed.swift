/// An optional that is nil in most of its owners, and takes a word of them while it is: ten thousand waiting transfers
/// should not hold room for what hardly one of them comes to need.
///
/// Public, unlike all else here: the compiler does not specialize `package` types for other modules.
@propertyWrapper @frozen
public indirect enum Boxed<Value: Sendable>: Sendable {
  case nothing
  case something(Value)

  /// Takes room only for a value.
  @inlinable public init(wrappedValue: Value?) {
    self = wrappedValue.map(Self.something) ?? .nothing
  }

  /// The value, if there is one.
  public var wrappedValue: Value? {
    @inlinable get {
      guard case .something(let value) = self else { return nil }
      return value
    }
    @inlinable set { self = Self(wrappedValue: newValue) }
  }
}
