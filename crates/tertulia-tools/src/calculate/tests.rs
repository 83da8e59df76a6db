//! What is calculated, what is refused, and that nothing runs for ever.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tertulia_message::PersonId;
use tertulia_message::path::InterfacePath;

use super::*;

#[track_caller]
fn check(table: &[(&str, &str)]) {
    for (expression, expected) in table {
        let got = calculate(expression).unwrap_or_else(|error| format!("! {error}"));
        assert_eq!(got, *expected, "{expression}");
    }
}

#[test]
fn precedence_is_the_usual_one() {
    check(&[
        ("2+3*4", "14"),
        ("(2 + 3) * 4", "20"),
        ("2^3^2", "512"),
        ("2**10", "1024"),
        ("-2^2", "-4"),
        ("(-2)^2", "4"),
        ("2^-2", "0.25"),
        ("--3 - -+-3", "0"),
        ("7 - 2 - 1", "4"),
        ("100/10/2*5", "25"),
        ("10 % 4 * 3", "6"),
        ("3!! + 1", "721"),
        ("2*3!", "12"),
        ("2^3!", "64"),
        ("6 × 7 ÷ 2 − 1", "20"),
        ("min(3, 1; 2) + max(4,-5)", "5"),
    ]);
}

#[test]
fn fractions_and_decimals_are_exact() {
    check(&[
        ("0.1+0.2", "0.3"),
        ("1/3+1/6", "0.5"),
        ("1/3", "about 0.333333333333333 (exactly 1/3)"),
        ("-22/7", "about -3.14285714285714 (exactly -22/7)"),
        ("1.10 * 3", "3.3"),
        (
            "123456789012345678901234567890 * 987654321",
            "121932631124828532112482853211126352690",
        ),
        ("2^100", "1267650600228229401496703205376"),
        ("1e3 + 1.5E-3 + 2e+1", "1020.0015"),
        ("1_000_000 * .5", "500000"),
        ("1e-40 * 3", "0.0000000000000000000000000000000000000003"),
        (
            "2^-100",
            "about 7.88860905221012e-31 (exactly 1/1267650600228229401496703205376)",
        ),
        ("1/7^700", "about 2.70005114049703e-592"),
        ("25! / 23!", "600"),
        ("-7 % 3", "2"),
        ("7.5 % 2", "1.5"),
        ("mod(-7, -3)", "-1"),
        ("200 * 15%", "30"),
        ("100 + 5%", "100.05"),
        ("50%%", "0.005"),
        ("5 % (3)", "2"),
        ("sqrt(16/9) * 3", "4"),
        ("sqrt(2.25)", "1.5"),
        ("hypot(3, 4)", "5"),
        ("round(2.5) + round(-2.5)", "0"),
        ("round(2.345, 2)", "2.35"),
        ("round(12345, -2)", "12300"),
        ("floor(-2.5) + ceil(2.1) + trunc(-1.9)", "-1"),
        ("abs(-1/4) + sign(-3)", "-0.75"),
        ("gcd(12, 18) + lcm(4, 6) + gcd(0, 5)", "23"),
        ("lcm(0, 0)", "0"),
        ("0^0", "1"),
        ("(-1)^1000001", "-1"),
        ("1^99999999999999999999", "1"),
        ("0^99999999999999999999", "0"),
    ]);
}

#[test]
fn what_has_no_fraction_is_said_to_be_near() {
    check(&[
        ("sqrt(2)", "about 1.4142135623731"),
        ("2^0.5", "about 1.4142135623731"),
        ("pi", "about 3.14159265358979"),
        ("π*2 - tau", "about 0"),
        ("sin(pi)", "about 0"),
        ("cos(PI)", "about -1"),
        ("tan(rad(45))", "about 1"),
        ("deg(atan2(1, 1))", "about 45"),
        ("ln(e)", "about 1"),
        ("log(1000) + log2(8) + log10(10)", "about 7"),
        ("log(8, 2)", "about 3"),
        ("exp(1) - e", "about 0"),
        ("cbrt(27)", "about 3"),
        ("1.0001^100000", "about 22015.456048528"),
        ("1e300 * pi", "about 3.14159265358979e300"),
        ("1e-300 * pi", "about 3.14159265358979e-300"),
        ("floor(pi * 1000)", "3141"),
        ("round(pi, 2)", "3.14"),
        ("phi^2 - phi", "about 1"),
        (
            "asin(1) + acos(1) + atan(0) + sinh(0) + tanh(0)",
            "about 1.5707963267949",
        ),
        ("pi % 1", "about 0.141592653589793"),
    ]);
}

#[test]
fn it_says_what_is_wrong() {
    check(&[
        ("", "! the expression is empty"),
        (" \n", "! the expression is empty"),
        ("2+", "! the expression ends where a number is expected"),
        ("2 3", "! a number is not expected at character 3"),
        ("2pi", "! \"2pi\" is no number"),
        ("3(4)", "! '(' is not expected at character 2"),
        ("1,000", "! ',' is not expected at character 2"),
        ("(1", "! a parenthesis is not closed"),
        ("1)", "! ')' is not expected at character 2"),
        ("()", "! ')' is not expected at character 2"),
        ("min()", "! min takes one number or more, not 0"),
        ("sqrt(1,2)", "! sqrt takes one number, not 2"),
        ("log(1,2,3)", "! log takes one or two numbers, not 3"),
        ("gcd(1)", "! gcd takes two numbers, not 1"),
        ("sqrt", "! sqrt is a function: write sqrt(...)"),
        ("foo", "! nothing is known as \"foo\""),
        ("foo(1)", "! nothing is known as \"foo\""),
        ("pi(1)", "! nothing is known as \"pi\""),
        ("1.2.3", "! \"1.2.3\" is no number"),
        (".", "! \".\" is no number"),
        ("0x10", "! \"0x10\" is no number"),
        ("1e", "! \"1e\" is no number"),
        ("1e+", "! \"1e+\" is no number"),
        ("x = 1", "! '=' is not expected at character 3"),
        ("2 $ 3", "! '$' is not expected at character 3"),
        ("1/0", "! division by zero"),
        ("1%0", "! division by zero"),
        ("0^-1", "! division by zero"),
        ("1/(2-2.0)", "! division by zero"),
        ("sqrt(-1)", "! the result is not a real number"),
        ("(-8)^0.5", "! the result is not a real number"),
        ("ln(0)", "! the result is not a real number"),
        ("log(-1)", "! the result is not a real number"),
        ("log(8, 1)", "! division by zero"),
        ("asin(2)", "! the result is not a real number"),
        ("(-3)!", "! a factorial needs whole numbers that are not negative"),
        ("2.5!", "! a factorial needs whole numbers that are not negative"),
        ("gcd(-1, 2)", "! gcd needs whole numbers that are not negative"),
        ("round(1, 0.5)", "! round takes from -100 to 100 digits"),
        ("round(1, 101)", "! round takes from -100 to 100 digits"),
    ]);
}

#[test]
fn nothing_takes_long_or_much() {
    check(&[
        ("9^9^9^9", "! the result is too large"),
        ("9^9^9", "! the result is too large"),
        ("9^-9^9", "! the result is too close to zero"),
        ("0.5^9^99", "! the result is too close to zero"),
        ("9!!!", "! the result is too large"),
        ("100000!", "! the result is too large"),
        ("999!", "! the result is too large"),
        ("1e100000000", "! \"1e100000000\" is no number"),
        ("1e-99999999999999999999", "! \"1e-99999999999999999999\" is no number"),
        ("exp(1000)", "! the result is too large"),
        ("exp(exp(exp(9)))", "! the result is too large"),
        ("2^4000 * 2^4000", "! the result is too large"),
        ("2^-4000 * 2^-4000", "! the result is too close to zero"),
        ("1.5^9999", "! the result is too large"),
    ]);
    assert_eq!(calculate("2^4000").unwrap().len(), 1205);
    assert_eq!(calculate("500!").unwrap().len(), 1135);
    for expression in [
        "(".repeat(100_000) + "1",
        "1".repeat(100_000),
        "-".repeat(1_000_000) + "1",
    ] {
        assert_eq!(
            calculate(&expression).unwrap_err(),
            "an expression has at most 1000 characters"
        );
    }
    for expression in [
        "(".repeat(500) + "1" + &")".repeat(499),
        "sqrt(".repeat(200),
        "2^".repeat(499) + "1",
        "2^-".repeat(300) + "1",
        "min(1,".repeat(150),
    ] {
        assert_eq!(
            calculate(&expression).unwrap_err(),
            "the expression is nested too deeply"
        );
    }
    let level = "(".repeat(64) + "1" + &")".repeat(64);
    assert_eq!(calculate(&level).unwrap(), "1");
    assert_eq!(calculate(&("-".repeat(999) + "1")).unwrap(), "-1");
    assert_eq!(calculate(&("1".to_owned() + &"+1".repeat(499))).unwrap(), "500");
    assert_eq!(
        calculate(&("1".to_owned() + &"%".repeat(999))).unwrap_err(),
        "the result is too close to zero"
    );
    assert_eq!(
        calculate(&("1".to_owned() + &"/997*991".repeat(120))).unwrap(),
        "about 0.484640317866354"
    );
}

#[test]
fn any_text_has_an_outcome() {
    for text in [
        "\u{0}",
        "🧮",
        "٣+٣",
        "1\u{202e}2",
        "!",
        "%",
        "^",
        "e^^2",
        "((()))",
        "\\x.x x",
        "1e5e5",
        "1..2",
        "__",
        "_1",
    ] {
        assert!(calculate(text).is_err(), "{text}");
    }
}

#[test]
fn arguments_are_checked() {
    let context = ToolContext {
        path: InterfacePath::parse("web/1").unwrap(),
        person: PersonId::new("web", "1"),
        now: 0,
        outbox: None,
    };
    let call = |arguments: Value| {
        let tool = CalculateTool::new();
        let future = pin!(tool.call(arguments, &context));
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => outcome.map_err(|error| error.to_string()),
            Poll::Pending => panic!("it waits for nothing"),
        }
    };
    assert_eq!(call(json!({"expression": "2+3*4"})), Ok("14".to_owned()));
    for arguments in [json!({}), json!({"expression": 5}), json!([]), Value::Null] {
        let error = call(arguments).unwrap_err();
        assert!(error.starts_with("bad arguments: "), "{error}");
    }
}
