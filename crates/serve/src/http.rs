//! Requests: the page, its shapes, files in and out, and the WebSocket. Every request must contain the token
//! and come from the page itself.

use crate::export::Export;
use crate::hub::{Hub, MOST_ASKED, MOST_WAITING, Message as HubMessage};
use crate::project::{confined, plain_file_name};
use crate::protocol::{Command, LONGEST_COMMAND};
use crate::session::{Session, Shapes, SharedSwept, can_be_taken};
use crate::shape_bytes::append;
use crate::upload::{self, Refused};
use crate::visitors::{Entrance, Visitor};
use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{ConnectInfo, Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use noli_pages::assets;
use std::collections::HashMap;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

const TOO_LARGE: &str = "Files of at most 512 MiB are taken.\n";
/// Tabs at most.
const MOST_TABS: usize = 256;
/// A tab that takes no message for so long is gone.
const SLOWEST: Duration = Duration::from_secs(20);

/// Errors of the server's start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port cannot be had.
    #[error("port {0} cannot be used: {1}; choose another one with --port, or 0 for any")]
    Port(u16, std::io::Error),
    /// The system gives no random numbers.
    #[error("there are no random numbers for the token: {0}")]
    Random(String),
    /// The server ended.
    #[error("the server ended: {0}")]
    Ended(#[from] std::io::Error),
}

/// A bound server that does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
    token: String,
}

impl Server {
    /// Binds to this machine only; port 0 selects any free port.
    pub fn bind(port: u16) -> Result<Self, ServeError> {
        Self::bind_with(port, new_token()?)
    }

    /// The same with a token of an earlier server, made by [`new_token`].
    pub fn bind_with(port: u16, token: String) -> Result<Self, ServeError> {
        let told = |error| ServeError::Port(port, error);
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(told)?;
        listener.set_nonblocking(true).map_err(told)?;
        let address = listener.local_addr().map_err(told)?;
        Ok(Self { listener, address, token })
    }

    /// Returns the address to open in a browser.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token)
    }
}

/// Creates an unguessable token of 192 bits, as text.
pub fn new_token() -> Result<String, ServeError> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).map_err(|error| ServeError::Random(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// State shared by all requests.
struct Shared {
    token: String,
    port: u16,
    hub: Sender<HubMessage>,
    shapes: Shapes,
    swept: SharedSwept,
    folder: Arc<OnceLock<PathBuf>>,
    has_database: bool,
    next_tab: AtomicU64,
    tabs: AtomicUsize,
}

/// Answers until `stop` is ready; everything that was changed is on disk then.
pub async fn serve(
    server: Server,
    session: Session,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let (hub, receiver) = std::sync::mpsc::channel();
    let shapes = session.shapes();
    let shared = Arc::new(Shared {
        token: server.token,
        port: server.address.port(),
        hub: hub.clone(),
        shapes,
        swept: session.swept.clone(),
        folder: session.folder.clone(),
        has_database: session.database.is_some(),
        next_tab: AtomicU64::new(1),
        tabs: AtomicUsize::new(0),
    });
    let owner = std::thread::spawn({
        let hub = hub.clone();
        move || Hub::new(session, hub).run(&receiver)
    });
    let entrance = Entrance::new(TcpListener::from_std(server.listener)?);
    let served = axum::serve(entrance, router(shared).into_make_service_with_connect_info::<Visitor>());
    let ended = {
        let hub = hub.clone();
        async move {
            stop.await;
            let _ = hub.send(HubMessage::Stop);
            // Tabs are notified before the connections close.
            tokio::time::sleep(Duration::from_millis(80)).await;
        }
    };
    // Connections that stay open, as those of tabs do, must not keep the server from ending.
    tokio::select! {
        result = std::future::IntoFuture::into_future(served) => result?,
        () = ended => {}
    }
    let _ = owner.join();
    Ok(())
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/assets/{name}", get(asset))
        .route("/api/shapes", get(shapes))
        .route("/api/swept", get(swept))
        .route("/api/export/{name}", get(export))
        .route("/api/file/{name}", get(file))
        .route("/api/upload", post(upload))
        .route("/api/live", get(live))
        .layer(middleware::from_fn_with_state(shared.clone(), guard))
        .with_state(shared)
}

type Parameters = Query<HashMap<String, String>>;

fn plain(status: StatusCode, text: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

/// Compares without telling by the time it takes how much was right.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |sum, (x, y)| sum | (x ^ y)) == 0
}

/// Accepts requests of the page only.
///
/// `Host` blocks other names that resolve to this machine (rebinding), `Origin` other pages, the token other
/// programs.
async fn guard(
    State(shared): State<Arc<Shared>>,
    Query(parameters): Parameters,
    request: Request,
    next: Next,
) -> Response {
    hardened(match refusal(&shared, &parameters, &request) {
        Some(refused) => refused,
        None => {
            if let Some(ConnectInfo(visitor)) = request.extensions().get::<ConnectInfo<Visitor>>() {
                visitor.admit();
            }
            next.run(request).await
        }
    })
}

/// The answer to a request that is not of the page.
fn refusal(shared: &Shared, parameters: &HashMap<String, String>, request: &Request) -> Option<Response> {
    let headers = request.headers();
    let port = shared.port.to_string();
    let own = |host: &str| {
        let (name, given) = host.rsplit_once(':').unwrap_or((host, "80"));
        (name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost")) && given == port
    };
    let text = |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let is_single = headers.get_all(header::HOST).iter().nth(1).is_none();
    if !is_single || !text(header::HOST).is_some_and(own) {
        return Some(plain(StatusCode::FORBIDDEN, "This server answers to its own name only.\n"));
    }
    let foreign = |origin: &str| !origin.strip_prefix("http://").is_some_and(own);
    if text(header::ORIGIN).is_some_and(foreign) {
        return Some(plain(StatusCode::FORBIDDEN, "Requests of other pages are refused.\n"));
    }
    let bearer = text(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    let cookie = cookie_of(headers, shared.port);
    let given = parameters.get("token").map(String::as_str).or(bearer).or(cookie);
    match given {
        None => {
            let text = "Open the address that `noli serve` printed: it carries a token.\n";
            return Some(plain(StatusCode::UNAUTHORIZED, text));
        }
        Some(token) if !is_same(token, &shared.token) => {
            let text = "This token is of another server: open the address that `noli serve` printed.\n";
            return Some(plain(StatusCode::FORBIDDEN, text));
        }
        Some(_) => {}
    }
    // Refused by its announced length, without waiting for a body that would be refused.
    let length = text(header::CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    let is_too_large = length.is_some_and(|length| length > upload::LARGEST as u64);
    is_too_large.then(|| plain(StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE))
}

fn cookie_of(headers: &HeaderMap, port: u16) -> Option<&str> {
    let name = format!("noli{port}=");
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(';')).find_map(|pair| pair.trim().strip_prefix(name.as_str()))
}

fn hardened(mut response: Response) -> Response {
    let policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                  connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn page(State(shared): State<Arc<Shared>>) -> Response {
    let cookie = format!("noli{}={}; Path=/; HttpOnly; SameSite=Strict", shared.port, shared.token);
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()), (header::SET_COOKIE, cookie)];
    (headers, assets::STUDIO_HTML).into_response()
}

async fn asset(Path(name): Path<String>) -> Response {
    let (kind, text) = match name.as_str() {
        "viewer.js" => ("text/javascript; charset=utf-8", assets::VIEWER_JS),
        "studio.js" => ("text/javascript; charset=utf-8", assets::STUDIO_JS),
        "viewer.css" => ("text/css; charset=utf-8", assets::VIEWER_CSS),
        "studio.css" => ("text/css; charset=utf-8", assets::STUDIO_CSS),
        "licence.txt" => ("text/plain; charset=utf-8", assets::THREE_LICENCE),
        _ => return plain(StatusCode::NOT_FOUND, "There is no such file.\n"),
    };
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// All shapes from a number on.
async fn shapes(State(shared): State<Arc<Shared>>, Query(parameters): Parameters) -> Response {
    let from = parameters.get("from").and_then(|from| from.parse().ok()).unwrap_or(0);
    let made = tokio::task::spawn_blocking(move || {
        let shapes = shared.shapes.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let mut bytes = Vec::new();
        shapes.iter().skip(from).for_each(|shape| append(&mut bytes, shape));
        bytes
    });
    match made.await {
        Ok(bytes) => ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response(),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "The shapes could not be made.\n"),
    }
}

/// The mesh of the swept volume that is shown, as [`append`] writes it.
async fn swept(State(shared): State<Arc<Shared>>) -> Response {
    let made = tokio::task::spawn_blocking(move || {
        let shown = shared.swept.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let mut bytes = Vec::new();
        shown.iter().for_each(|shown| append(&mut bytes, &shown.source));
        bytes
    });
    match made.await {
        Ok(bytes) => ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response(),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "The volume could not be sent.\n"),
    }
}

/// The same as a mesh file.
async fn swept_file(shared: Arc<Shared>, name: &str) -> Response {
    let shown = shared.swept.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    let Some(shown) = shown else { return plain(StatusCode::CONFLICT, "There is no swept volume.\n") };
    let extension = name.rsplit('.').next().unwrap_or_default().to_owned();
    let made = tokio::task::spawn_blocking(move || shown.file(&extension)).await;
    match made {
        Ok(Ok(bytes)) => {
            let saved = format!("attachment; filename=\"{name}\"");
            let headers = [
                (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
                (header::CONTENT_DISPOSITION, saved),
            ];
            (headers, bytes).into_response()
        }
        Ok(Err(text)) => (StatusCode::CONFLICT, text + "\n").into_response(),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "The file could not be made.\n"),
    }
}

async fn export(State(shared): State<Arc<Shared>>, Path(name): Path<String>) -> Response {
    let (kind, export) = match name.as_str() {
        "report.html" => ("text/html; charset=utf-8", Export::Html),
        "report.json" => ("application/json", Export::Json),
        "report.csv" => ("text/csv; charset=utf-8", Export::Csv),
        "report.bcf" => ("application/octet-stream", Export::Bcf),
        "swept.obj" | "swept.stl" | "swept.glb" => return swept_file(shared, &name).await,
        _ => return plain(StatusCode::NOT_FOUND, "There is no such report.\n"),
    };
    let (reply, answer) = oneshot::channel();
    let _ = shared.hub.send(HubMessage::Export(export, reply));
    match answer.await {
        Ok(Ok(bytes)) => {
            let saved = format!("attachment; filename=\"{name}\"");
            ([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, saved)], bytes)
                .into_response()
        }
        Ok(Err(text)) => (StatusCode::CONFLICT, text + "\n").into_response(),
        Err(_) => plain(StatusCode::SERVICE_UNAVAILABLE, "The server is stopping.\n"),
    }
}

/// A file of the project's folder, by its plain name.
async fn file(State(shared): State<Arc<Shared>>, Path(name): Path<String>) -> Response {
    let found = shared.folder.get().and_then(|folder| confined(folder, &name));
    let Some(path) = found.filter(|path| path.is_file()) else {
        return plain(StatusCode::NOT_FOUND, "The project has no such file.\n");
    };
    match tokio::task::spawn_blocking(move || noli_formats::bytes_of(&path)).await {
        Ok(Ok(bytes)) => ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response(),
        _ => plain(StatusCode::NOT_FOUND, "The project has no such file.\n"),
    }
}

/// Takes a file. Nothing that is there is written over.
async fn upload(
    State(shared): State<Arc<Shared>>,
    Query(parameters): Parameters,
    request: Request,
) -> Response {
    let Some(folder) = shared.folder.get().cloned() else {
        return plain(
            StatusCode::CONFLICT,
            "A bundled scene has no folder for files; save it first, or open a folder with `noli serve FOLDER`.\n",
        );
    };
    let name = parameters.get("name").map(String::as_str).and_then(plain_file_name);
    // Robots are for the database; without one nobody would read them.
    let is_mesh = |name: &str| noli_formats::MeshFormat::from_extension(std::path::Path::new(name)).is_some();
    let is_part = |name: &str| shared.has_database && can_be_taken(std::path::Path::new(name));
    let Some(name) = name.filter(|name| is_mesh(name) || is_part(name)) else {
        return plain(
            StatusCode::BAD_REQUEST,
            "Only mesh files with plain names are taken: OBJ, STL, PLY, OFF, glTF, DXF.\n",
        );
    };
    match upload::take(request.into_body(), folder.join(name), is_mesh(name)).await {
        Ok(()) => plain(StatusCode::CREATED, "Written.\n"),
        Err(Refused::TooLarge) => plain(StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE),
        Err(Refused::Broken) => plain(StatusCode::BAD_REQUEST, "The file ended too early; drop it again.\n"),
        Err(Refused::Unread(error)) => {
            let text = format!("{}; {}.\n", error.reason, error.remedy);
            (StatusCode::UNPROCESSABLE_ENTITY, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text)
                .into_response()
        }
        Err(Refused::Io(error)) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            plain(StatusCode::CONFLICT, "The project has a file of this name; rename yours.\n")
        }
        Err(Refused::Io(_)) => plain(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The file could not be written; check the folder and the free space.\n",
        ),
    }
}

/// One of the [`MOST_TABS`], from its request to its end: those that connect at once are counted, too.
struct OpenTab(Arc<Shared>);

impl OpenTab {
    fn new(shared: &Arc<Shared>) -> Option<Self> {
        let open = Self(shared.clone());
        (shared.tabs.fetch_add(1, Relaxed) < MOST_TABS).then_some(open)
    }
}

impl Drop for OpenTab {
    fn drop(&mut self) {
        self.0.tabs.fetch_sub(1, Relaxed);
    }
}

async fn live(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let Some(open) = OpenTab::new(&shared) else {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "Too many tabs are open.\n");
    };
    upgrade.max_message_size(LONGEST_COMMAND).max_frame_size(LONGEST_COMMAND).on_upgrade(
        move |socket| async move {
            let tab = shared.next_tab.fetch_add(1, Relaxed);
            talk(socket, tab, &shared.hub).await;
            let _ = shared.hub.send(HubMessage::Leave(tab));
            drop(open);
        },
    )
}

/// One tab, until it leaves or is too slow.
async fn talk(mut socket: WebSocket, tab: u64, hub: &Sender<HubMessage>) {
    let (sender, mut told) = mpsc::channel::<Arc<str>>(MOST_WAITING);
    if hub.send(HubMessage::Join(tab, sender)).is_err() {
        return;
    }
    let places = Arc::new(Semaphore::new(MOST_ASKED));
    loop {
        // Messages are sent and the work of the hub is done before more is read.
        let heard = async {
            let place = places.clone().acquire_owned().await.ok()?;
            Some((socket.recv().await?.ok()?, place))
        };
        tokio::select! {
            biased;
            text = told.recv() => {
                // Nothing comes any more: the hub has let go of this tab.
                let Some(text) = text else { break };
                let sent = socket.send(Message::Text((*text).into()));
                if !matches!(tokio::time::timeout(SLOWEST, sent).await, Ok(Ok(()))) {
                    break;
                }
            }
            heard = heard => {
                let Some((message, place)) = heard else { break };
                let asked = match message {
                    Message::Text(text) => read(tab, &text, place),
                    Message::Binary(_) => HubMessage::Odd(tab, "commands are text".to_owned(), place),
                    Message::Close(_) => break,
                    Message::Ping(_) | Message::Pong(_) => continue,
                };
                if hub.send(asked).is_err() {
                    break;
                }
            }
        }
    }
}

/// A text as a command, or why it is none.
fn read(tab: u64, text: &str, place: OwnedSemaphorePermit) -> HubMessage {
    match serde_json::from_str::<Command>(text) {
        Ok(command) => HubMessage::Say(tab, command, place),
        Err(error) => HubMessage::Odd(tab, format!("this is no command: {error}"), place),
    }
}
