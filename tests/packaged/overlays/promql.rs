//! Reads the part of PromQL that our alerts and panels use, and says which metrics and labels an expression is about. What is beyond that
//! part, or wrong, is an error: a whole parser would bring fifty crates with it for two files of ours.

/// What stands between names.
const KEYWORDS: [&str; 11] =
    ["by", "without", "on", "ignoring", "group_left", "group_right", "bool", "and", "or", "unless", "offset"];
const AGGREGATIONS: [&str; 9] =
    ["sum", "min", "max", "avg", "count", "topk", "bottomk", "count_values", "quantile"];
const FUNCTIONS: [&str; 10] = [
    "rate",
    "irate",
    "increase",
    "delta",
    "absent",
    "histogram_quantile",
    "time",
    "vector",
    "clamp_min",
    "abs",
];

/// One use of a metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(crate) metric: String,
    /// Labels that it is chosen by.
    pub(crate) labels: Vec<String>,
}

/// What an expression is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expression {
    pub(crate) selectors: Vec<Selector>,
    /// Labels that are kept, over all aggregations.
    pub(crate) grouped_by: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Number,
    Text,
    Duration,
    Sign(String),
}

/// Reads an expression to its end.
pub(crate) fn parse(text: &str) -> Result<Expression, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, found: Expression::default() };
    parser.binary()?;
    match parser.peek() {
        None => Ok(parser.found),
        Some(token) => Err(format!("{token:?} is not expected in {text}")),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut rest = text.trim_start();
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        let taken = |accepts: fn(char) -> bool| rest.find(|c| !accepts(c)).unwrap_or(rest.len());
        let (token, length) = if first.is_ascii_alphabetic() || first == '_' {
            let length = taken(|c| c.is_ascii_alphanumeric() || "_:".contains(c));
            (Token::Name(rest[..length].to_owned()), length)
        } else if first.is_ascii_digit() {
            let length = taken(|c| c.is_ascii_alphanumeric() || c == '.');
            let word = &rest[..length];
            let token = if word.parse::<f64>().is_ok() {
                Token::Number
            } else if word.ends_with(['s', 'm', 'h', 'd', 'w', 'y']) {
                Token::Duration
            } else {
                return Err(format!("{word:?} is no number"));
            };
            (token, length)
        } else if first == '"' {
            let end = rest[1..].find('"').ok_or_else(|| format!("a text has no end: {rest}"))?;
            (Token::Text, end + 2)
        } else {
            let double = ["==", "!=", ">=", "<=", "=~", "!~"].iter().find(|sign| rest.starts_with(**sign));
            let sign = double.map_or_else(|| first.to_string(), |sign| (*sign).to_owned());
            if double.is_none() && !"(){}[],=<>+-*/%^".contains(first) {
                return Err(format!("{first:?} means nothing"));
            }
            let length = sign.len();
            (Token::Sign(sign), length)
        };
        found.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    found: Expression,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Result<Token, String> {
        let token = self.peek().cloned().ok_or("it ends too early")?;
        self.at += 1;
        Ok(token)
    }

    fn is_sign(&self, sign: &str) -> bool {
        self.peek() == Some(&Token::Sign(sign.to_owned()))
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        let token = self.next()?;
        if token == Token::Sign(sign.to_owned()) {
            Ok(())
        } else {
            Err(format!("{token:?} in place of {sign}"))
        }
    }

    fn is_name(&self, names: &[&str]) -> bool {
        matches!(self.peek(), Some(Token::Name(name)) if names.contains(&name.as_str()))
    }

    fn binary(&mut self) -> Result<(), String> {
        self.unary()?;
        loop {
            let signs = ["+", "-", "*", "/", "%", "^", "==", "!=", ">", "<", ">=", "<="];
            if !signs.iter().any(|sign| self.is_sign(sign)) && !self.is_name(&["and", "or", "unless"]) {
                return Ok(());
            }
            self.at += 1;
            if self.is_name(&["bool"]) {
                self.at += 1;
            }
            while self.is_name(&["on", "ignoring", "group_left", "group_right"]) {
                self.at += 1;
                self.labels()?;
            }
            self.unary()?;
        }
    }

    fn unary(&mut self) -> Result<(), String> {
        if self.is_sign("-") {
            self.at += 1;
        }
        match self.next()? {
            Token::Number | Token::Text => Ok(()),
            Token::Sign(sign) if sign == "(" => {
                self.binary()?;
                self.expect(")")
            }
            Token::Name(name) if AGGREGATIONS.contains(&name.as_str()) => self.aggregation(),
            Token::Name(name) if FUNCTIONS.contains(&name.as_str()) => self.arguments(),
            Token::Name(name) if KEYWORDS.contains(&name.as_str()) => Err(format!("{name} is out of place")),
            Token::Name(name) if self.is_sign("(") => {
                Err(format!("{name} is no function that is known here"))
            }
            Token::Name(metric) => self.selector(metric),
            token => Err(format!("{token:?} is out of place")),
        }
    }

    fn aggregation(&mut self) -> Result<(), String> {
        if self.is_name(&["by", "without"]) {
            self.grouping()?;
            return self.arguments();
        }
        self.arguments()?;
        if self.is_name(&["by", "without"]) { self.grouping() } else { Ok(()) }
    }

    fn grouping(&mut self) -> Result<(), String> {
        let is_by = self.next()? == Token::Name("by".to_owned());
        let labels = self.labels()?;
        if is_by {
            self.found.grouped_by.extend(labels);
        }
        Ok(())
    }

    fn labels(&mut self) -> Result<Vec<String>, String> {
        self.expect("(")?;
        let mut labels = Vec::new();
        while !self.is_sign(")") {
            match self.next()? {
                Token::Name(label) => labels.push(label),
                token => return Err(format!("{token:?} is no label")),
            }
            if self.is_sign(",") {
                self.at += 1;
            }
        }
        self.expect(")")?;
        Ok(labels)
    }

    fn arguments(&mut self) -> Result<(), String> {
        self.expect("(")?;
        while !self.is_sign(")") {
            self.binary()?;
            if !self.is_sign(")") {
                self.expect(",")?;
            }
        }
        self.expect(")")
    }

    fn selector(&mut self, metric: String) -> Result<(), String> {
        let mut labels = Vec::new();
        if self.is_sign("{") {
            self.at += 1;
            while !self.is_sign("}") {
                match self.next()? {
                    Token::Name(label) => labels.push(label),
                    token => return Err(format!("{token:?} is no label")),
                }
                let sign = self.next()?;
                let is_match =
                    ["=", "!=", "=~", "!~"].iter().any(|one| sign == Token::Sign((*one).to_owned()));
                if !is_match || self.next()? != Token::Text {
                    return Err(format!("labels of {metric} are matched in no known way"));
                }
                if self.is_sign(",") {
                    self.at += 1;
                }
            }
            self.expect("}")?;
        }
        if self.is_sign("[") {
            self.at += 1;
            if self.next()? != Token::Duration {
                return Err(format!("{metric} is looked at for no known time"));
            }
            self.expect("]")?;
        }
        self.found.selectors.push(Selector { metric, labels });
        Ok(())
    }
}

#[test]
fn expressions_are_read_to_their_metrics_and_labels() {
    let text = r#"histogram_quantile(0.99, sum by (le, name) (rate(a_bucket{ns=~"x|y",code!="1"}[5m]))) > 60 or -b / (c - time())"#;
    let read = parse(text).unwrap();
    let metrics: Vec<&str> = read.selectors.iter().map(|selector| selector.metric.as_str()).collect();
    assert_eq!(metrics, ["a_bucket", "b", "c"]);
    assert_eq!(read.selectors[0].labels, ["ns", "code"]);
    assert_eq!(read.grouped_by, ["le", "name"]);
}

#[test]
fn expressions_that_prometheus_would_refuse_are_errors() {
    for wrong in [
        "sum(a",
        "sum by (a",
        "a{b}",
        "a{b='c'}",
        "a{b=\"c}",
        "rate(a[5])",
        "rate(a[5m)",
        "a b",
        "a >",
        "by (a)",
        "unknown(a)",
        "a == bool",
        "",
        "3z",
        "a; b",
    ] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}
