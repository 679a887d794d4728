package import KSSealing

/// A device's pins lie beside its device secret, outside the database.
extension LocalKeyFile: PinKeeping {}
