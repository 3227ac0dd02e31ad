//! Putting text and values in.

use crate::act::{Outcome, native};
use crate::bus::{self, ACCESSIBLE, PROPERTIES};
use crate::connect::AtspiBackend;
use crate::input::Gesture;
use crate::node::Interfaces;
use crate::object::Object;
use crate::session::Found;
use stillpoint_core::tree::NativeKey;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::{Deadline, Key, Performed, Refusal, SetTo};
use zbus::Variant;

const EDITABLE: &str = "org.a11y.atspi.EditableText";
const SELECTION: &str = "org.a11y.atspi.Selection";
const TEXT: &str = "org.a11y.atspi.Text";
const VALUE: &str = "org.a11y.atspi.Value";

impl AtspiBackend {
    pub(crate) async fn type_text(
        &self,
        on: Option<NativeKey>,
        text: &str,
        replace: bool,
        deadline: Deadline,
    ) -> Outcome {
        if let Some(key) = on {
            let found = self.find(key, deadline).await?;
            if found.facts.interfaces.has(Interfaces::EDITABLE_TEXT)
                && let Some(done) = self.edit(&found, text, replace, deadline).await?
            {
                return Ok(done);
            }
        }
        self.focus_if_needed(on, deadline).await?;
        if replace {
            let everything = Key { name: "a".to_owned(), ctrl: true, shift: false, alt: false, meta: false };
            self.synthesise(Gesture::Keys(vec![everything]), deadline).await?;
        }
        self.synthesise(Gesture::Text(text.to_owned()), deadline).await
    }

    /// Edits through the text interface; `None` where the app says no.
    async fn edit(
        &self,
        found: &Found,
        text: &str,
        replace: bool,
        deadline: Deadline,
    ) -> std::result::Result<Option<Performed>, Refusal> {
        let object = &found.facts.object;
        let (member, reply) = if replace {
            ("SetTextContents", self.dispatch(object, EDITABLE, "SetTextContents", &text, deadline).await?)
        } else {
            let caret = self.caret(object, deadline).await;
            // AT-SPI counts the inserted text in bytes.
            let body = (caret, text, text.len() as i32);
            let inserted = self.dispatch(object, EDITABLE, "InsertText", &body, deadline).await;
            match inserted {
                // AccessKit can replace a text, not add to it.
                Err(refusal) if refusal.error.code == Code::ActionRejected => return Ok(None),
                inserted => ("InsertText", inserted?),
            }
        };
        let accepted = reply.is_none_or(|r| r.body().deserialize::<bool>().unwrap_or(true));
        Ok(accepted.then(|| native(member)))
    }

    /// Where text is inserted: at the caret, or behind everything where there is none.
    async fn caret(&self, object: &Object, deadline: Deadline) -> i32 {
        let number = |name| bus::property::<i32>(&self.bus, object, TEXT, name, deadline);
        match number("CaretOffset").await {
            Ok(caret) if caret >= 0 => caret,
            _ => number("CharacterCount").await.unwrap_or(i32::MAX),
        }
    }

    pub(crate) async fn set_value(&self, key: NativeKey, to: &SetTo, deadline: Deadline) -> Outcome {
        let found = self.find(key, deadline).await?;
        let interfaces = found.facts.interfaces;
        match to {
            SetTo::Number(number) if interfaces.has(Interfaces::VALUE) => {
                let body = (VALUE, "CurrentValue", Variant::F64(*number));
                self.dispatch(&found.facts.object, PROPERTIES, "Set", &body, deadline).await?;
                Ok(native("SetCurrentValue"))
            }
            SetTo::Number(number) => self.type_text(Some(key), &number.to_string(), true, deadline).await,
            SetTo::Text(text) if interfaces.has(Interfaces::EDITABLE_TEXT) => {
                self.type_text(Some(key), text, true, deadline).await
            }
            SetTo::Text(text) if interfaces.has(Interfaces::SELECTION) => {
                self.select_by_name(&found, text, deadline).await
            }
            SetTo::Text(text) => self.type_text(Some(key), text, true, deadline).await,
        }
    }

    /// Selects the option of that name in a combo box or list.
    async fn select_by_name(&self, found: &Found, name: &str, deadline: Deadline) -> Outcome {
        let mut holder = found.facts.object.clone();
        let mut options = self.named_children(&holder, deadline).await?;
        // A combo box holds a menu or a list, and that holds the options.
        if let [(only, _)] = options.as_slice()
            && !options.iter().any(|(_, n)| n == name)
        {
            holder = only.clone();
            options = self.named_children(&holder, deadline).await?;
        }
        let Some(index) = options.iter().position(|(_, n)| n == name) else {
            let known: Vec<&str> = options.iter().map(|(_, n)| n.as_str()).collect();
            return Err(Error::new(
                Code::ElementNotFound,
                format!("there is no option {name:?}"),
                format!("options: {}", known.join(", ")),
            )
            .into());
        };
        let body = index as i32;
        let reply = self.dispatch(&found.facts.object, SELECTION, "SelectChild", &body, deadline).await?;
        if reply.is_none_or(|r| r.body().deserialize::<bool>().unwrap_or(true)) {
            return Ok(native("SelectChild"));
        }
        Err(Error::new(Code::ActionRejected, "the app refused to select the option", "tap it instead").into())
    }

    async fn named_children(&self, object: &Object, deadline: Deadline) -> Result<Vec<(Object, String)>> {
        let children: Vec<(String, zbus::OwnedObjectPath)> =
            bus::ask(&self.bus, object, ACCESSIBLE, "GetChildren", &(), deadline).await?;
        let objects: Vec<Object> =
            children.iter().map(|(name, path)| Object::new(name, path.as_str())).collect();
        let names =
            objects.iter().map(|o| bus::property::<String>(&self.bus, o, ACCESSIBLE, "Name", deadline));
        let names = futures_util::future::join_all(names).await;
        Ok(objects.into_iter().zip(names.into_iter().map(Result::unwrap_or_default)).collect())
    }
}
