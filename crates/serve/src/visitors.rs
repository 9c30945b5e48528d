//! Connections that have not shown the token yet: few at a time, and not for long.
//!
//! Without these limits any user of the machine could hold so many half requests open that the owner's page gets no
//! answer. Newcomers push out the oldest, so a request with the token, which comes at once, is always answered.

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Sleep;

/// Time to show the token.
const PATIENCE: Duration = Duration::from_secs(5);
/// Connections without the token at a time.
const MOST: usize = 128;

/// The far end of a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visitor(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_known: AtomicBool,
    must_leave: AtomicBool,
    /// Wakes the task that reads from the connection.
    reader: Mutex<Option<Waker>>,
}

impl Visitor {
    /// The token was right: the limits are not for this connection.
    pub(crate) fn admit(&self) {
        self.0.is_known.store(true, SeqCst);
    }

    fn is_known(&self) -> bool {
        self.0.is_known.load(SeqCst)
    }

    fn dismiss(&self) {
        self.0.must_leave.store(true, SeqCst);
        let reader = self.0.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        reader.into_iter().for_each(Waker::wake);
    }

    /// Returns `true` if it must leave; else its reader is woken when it must.
    fn must_leave(&self, waker: &Waker) -> bool {
        *self.0.reader.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker.clone());
        self.0.must_leave.load(SeqCst)
    }

    /// Returns `true` if only the list of those who wait still refers to it.
    fn has_left(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

impl Connected<IncomingStream<'_, Entrance>> for Visitor {
    fn connect_info(stream: IncomingStream<'_, Entrance>) -> Self {
        stream.remote_addr().clone()
    }
}

/// A listener that keeps few connections without the token.
pub(crate) struct Entrance {
    listener: TcpListener,
    waiting: VecDeque<Visitor>,
}

impl Entrance {
    pub(crate) fn new(listener: TcpListener) -> Self {
        Self { listener, waiting: VecDeque::new() }
    }
}

impl Listener for Entrance {
    type Io = Guarded;
    type Addr = Visitor;

    async fn accept(&mut self) -> (Guarded, Visitor) {
        let (stream, _) = Listener::accept(&mut self.listener).await;
        self.waiting.retain(|visitor| !visitor.is_known() && !visitor.has_left());
        if self.waiting.len() >= MOST
            && let Some(oldest) = self.waiting.pop_front()
        {
            oldest.dismiss();
        }
        let visitor = Visitor::default();
        self.waiting.push_back(visitor.clone());
        let deadline = Box::pin(tokio::time::sleep(PATIENCE));
        (Guarded { stream, visitor: visitor.clone(), deadline }, visitor)
    }

    fn local_addr(&self) -> io::Result<Visitor> {
        self.listener.local_addr().map(|_| Visitor::default())
    }
}

/// A connection that ends unless the token is shown in time.
pub(crate) struct Guarded {
    stream: TcpStream,
    visitor: Visitor,
    deadline: Pin<Box<Sleep>>,
}

impl AsyncRead for Guarded {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.visitor.is_known() {
            let is_over = this.visitor.must_leave(cx.waker()) || this.deadline.as_mut().poll(cx).is_ready();
            if is_over {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        }
        Pin::new(&mut this.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Guarded {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
