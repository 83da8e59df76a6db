//! Whether the platform that only tests use can be reached.

use reqwest::Url;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::super::report::Report;
use super::PATIENCE;

pub(super) async fn look(what: &str, address: &str, report: &mut Report) {
    let advice = "start the platform's server, or look at the interface's base_url";
    let url = Url::parse(address).ok();
    let place = url.and_then(|url| Some((url.host_str()?.to_owned(), url.port_or_known_default()?)));
    let Some((host, port)) = place else {
        return report.fail(what, "its base_url is no address", advice);
    };
    match timeout(PATIENCE, TcpStream::connect((host.trim_matches(['[', ']']), port))).await {
        Ok(Ok(_)) => report.ok(what, format!("{host}:{port} can be reached")),
        Ok(Err(error)) => report.fail(what, format!("{host}:{port} cannot be reached: {error}"), advice),
        Err(_) => report.fail(what, format!("{host}:{port} does not answer"), advice),
    }
}
