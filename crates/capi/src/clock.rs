//! The clock of time limits: that of the system, or in WebAssembly one that the host provides.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use noli::query::SteadyClock as SystemClock;

#[cfg(target_arch = "wasm32")]
pub(crate) use host::HostClock as SystemClock;

#[cfg(target_arch = "wasm32")]
mod host {
    use noli::query::Clock;
    use std::time::Duration;

    #[link(wasm_import_module = "noli")]
    unsafe extern "C" {
        /// Returns milliseconds since some fixed moment, as `performance.now()` does.
        safe fn host_milliseconds() -> f64;
    }

    /// The clock of the host: `std::time::Instant` panics in WebAssembly.
    pub(crate) struct HostClock;

    impl HostClock {
        pub(crate) fn start() -> Self {
            Self
        }
    }

    impl Clock for HostClock {
        fn now(&self) -> Duration {
            Duration::try_from_secs_f64(host_milliseconds() / 1000.0).unwrap_or_default()
        }
    }
}
