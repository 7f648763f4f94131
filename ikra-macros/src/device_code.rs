//! `device_code!`, and the setting `device_code` of `#[soa_world]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, Token, bracketed};

use crate::diagnostics::Errors;
use crate::krate::Krate;

/// Expands `device_code!`.
pub(crate) fn device_code(args: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (krate, args) = Krate::take("device_code", args, &mut errors);
    if !args.is_empty() {
        errors.at(&args, "`device_code!()` takes no arguments but `crate = path`");
    }
    krate.reach(errors.into_tokens().unwrap_or_else(own))
}

/// The device code that `ikra-build` compiled in the build script of the current crate.
pub(crate) fn own() -> TokenStream {
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| String::from("the program"));
    let text = if std::env::var_os("IKRA_DEVICE_CODE").is_some() {
        quote!(::core::option::Option::Some(::core::include_str!(::core::env!("IKRA_DEVICE_CODE"))))
    } else {
        quote!(::core::option::Option::None)
    };
    quote! {
        // SAFETY: `ikra-build` sets the variable to a file that it made.
        unsafe { ::ikra::DeviceCode::new(#package, #text) }
    }
}

/// `device_code = [shapes::DEVICE_CODE, …]`, or nothing.
#[derive(Default)]
pub(crate) struct Codes(pub(crate) Vec<Expr>);

impl Parse for Codes {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            return Ok(Self::default());
        }
        let name: Ident = input.parse()?;
        if name != "device_code" {
            return Err(syn::Error::new(name.span(), "unknown"));
        }
        input.parse::<Token![=]>()?;
        let codes;
        bracketed!(codes in input);
        let codes = Punctuated::<Expr, Token![,]>::parse_terminated(&codes)?;
        input.parse::<Option<Token![,]>>()?;
        Ok(Self(codes.into_iter().collect()))
    }
}
