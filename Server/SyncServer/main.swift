import Hummingbird
import HummingbirdTLS
import HummingbirdHTTP2
import ServiceLifecycle
print("hello")
